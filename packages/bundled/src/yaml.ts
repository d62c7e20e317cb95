// What readers and writers of YAML in @sched need.
export { isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseAllDocuments, parseDocument, stringify, visit } from 'yaml'
export type { Alias, Document, Node, Pair, YAMLError } from 'yaml'
