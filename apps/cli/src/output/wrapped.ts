/** Width of prose where standard output is no terminal. */
export const PROSE = 100

/**
 * Text in lines of at most `width` characters, broken at blanks, without a line feed at its end. Lines after the first begin with
 * `indent` blanks. What has no blank to be broken at is longer.
 */
export function wrapped(text: string, width: number, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.trimStart().split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = `${' '.repeat(indent)}${word}`
    } else line = line === '' ? `${' '.repeat(text.length - text.trimStart().length)}${word}` : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
