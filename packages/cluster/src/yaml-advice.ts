import type { YAMLError } from '@sched/bundled/yaml'

/** What to do about a mistake in the syntax of YAML. */
export function yamlAdvice({ code }: Pick<YAMLError, 'code'>): string {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'Keep one.'
    case 'DUPLICATE_KEY':
      return 'Keep one of the equal keys.'
    case 'TAB_AS_INDENT':
      return 'Indent with blanks.'
    case 'TAG_RESOLVE_FAILED':
      return 'Leave it out, or put a text that begins with ! in quotes.'
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'BLOCK_IN_FLOW':
    case 'MISSING_CHAR':
      return 'Close every quote and bracket, and indent what belongs together alike.'
    default:
      return 'Is it YAML? Text with ": " or " #" in it, or with a special character first, stands in quotes.'
  }
}
