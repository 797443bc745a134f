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
//   - Predefined macros are __LINE__, __FILE__, __p4c__ (programs test it to find out that they are
//     compiled as P4_16), __pintlab__ (set in this interpreter), Config.Predefined and
//     Config.Defines.
//
// # Parser
//
// The parser descends recursively over the grammar. P4 cannot be parsed without knowing which names
// are types: "(a) - b" is a cast if a is a type. The parser therefore keeps the names declared so
// far, by scope, as the specification's grammar does with its TYPE_IDENTIFIER token. Where the
// grammar needs more than one token of lookahead, the parser tries one reading and undoes it if it
// fails. After a syntax error it skips to the next likely beginning of a statement or declaration,
// so that one run reports several errors.
//
// # Tree
//
// Nodes are plain structs. The checker (package types) stores its results elsewhere and never
// changes them.
package syntax
