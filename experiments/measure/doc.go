// Package measure has what all measurements are given and tell: a Job says at which scale and with which
// seeds a question is asked, runs its simulations or the parts of its work that are missing, and keeps what
// a reader of the rows should know. The folders inside ask the questions and return rows.
package measure
