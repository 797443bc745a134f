// Package syntax reads P4_16 source text: preprocessor, tokens and syntax tree (specification
// 1.2.4, section 6 and appendix G; loops and compound assignments as in 1.2.5). Every message has
// the form "file:line:column: text".
//
// # Preprocessor
//
// The preprocessor works on tokens, not on text, so every token keeps the line and column where it
// was written. A token produced by a macro has the position of the macro's use. Differences from C:
//
//   - A directive must be the first token on its line, as in C; #pragma and #line are
//     accepted and have no effect.
//   - Adjacent string literals are not joined.
//   - Predefined macros are __LINE__, __FILE__, __p4c__ (programs use this macro to test whether they are compiled
//     as P4_16), __pintlab__ (set only in this interpreter), and the macros of Config.Predefined and Config.Defines.
//
// # Parser
//
// The parser descends recursively over the grammar. P4 cannot be parsed without knowing which names are types:
// "(a) - b" is a cast if a is a type. The parser therefore records, by scope, the names declared so far. In the
// specification's grammar, the TYPE_IDENTIFIER token has the same purpose. Where the grammar needs more than one
// token of lookahead, the parser tries one reading and undoes it if the reading fails. After a syntax error the
// parser skips to the next likely beginning of a statement or declaration, so that one run reports several errors.
//
// # Tree
//
// Nodes are plain structs. The checker (package types) stores its results elsewhere and never
// changes them.
package syntax
