import { SchedError } from '@sched/core'
import { included, linesOf, type SourceText } from '../source-text.js'
import type { Setting } from '../setting.js'
import { templateError, templateMark } from '../template.js'

/** The settings of a line, at least one. */
export type Statement = readonly [Setting, ...Setting[]]

/** The files around an included one. */
interface Around {
  /** Names of the files that include it, outermost first. */
  readonly files: readonly string[]
  /** The name of the cluster in small letters, once it has been read; %c in the name of an included file stands for it. */
  cluster: string | undefined
}

/**
 * The lines of a slurm.conf, each with its settings `name=value`. Values with blanks are in quotes, # begins a comment, and a line that ends with a backslash
 * goes on in the next one. The lines of an included file stand in place of its `Include`. `check`: called for every file before it is read. Throws `BAD_INPUT`
 * with the line.
 */
export function readLines(source: SourceText, check: (source: SourceText) => void = () => undefined, around: Around = { files: [], cluster: undefined }): Statement[] {
  check(source)
  const { text, file } = source
  const statements: Statement[] = []
  const lines = linesOf(text)
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1
    let content = withoutComment(lines[i] as string)
    while (/\\\s*$/.test(content) && i + 1 < lines.length) content = `${content.replace(/\\\s*$/, '')}${withoutComment(lines[++i] as string)}`
    const mark = templateMark(content, true)
    if (mark !== undefined) throw templateError(mark, file, line)
    const include = /^\s*include\s+(?:"([^"]*)"|(\S+))/i.exec(content)
    if (include !== null) {
      const inside = { files: [...around.files, file], cluster: around.cluster }
      const [, quoted, plain = ''] = include
      const path = (quoted ?? plain).replaceAll('%c', () => around.cluster ?? '%c')
      statements.push(...readLines(included(source, path, line, around.files), check, inside))
      around.cluster = inside.cluster
      continue
    }
    const settings = settingsOf(content, file, line)
    around.cluster = settings.find(({ name }) => name.toLowerCase() === 'clustername')?.value.toLowerCase() ?? around.cluster
    if (settings.length > 0) statements.push(settings as unknown as Statement)
  }
  return statements
}

/** A line without its comment. A # in quotes or after a backslash begins none. */
function withoutComment(line: string): string {
  return /^(?:[^#"\\]|\\.|\\$|"[^"]*"|")*/.exec(line)?.[0] ?? line
}

function settingsOf(content: string, file: string, line: number): Setting[] {
  const settings: Setting[] = []
  const pair = /\s*([\w.]+)\s*[-+*/]?=\s*(?:"([^"]*)"|(\S*))(?=\s|$)/y
  for (let at = 0; content.slice(at).trim() !== ''; at = pair.lastIndex) {
    pair.lastIndex = at
    const found = pair.exec(content)
    if (found === null)
      throw new SchedError('BAD_INPUT', `found ${JSON.stringify(content.slice(at).trim().slice(0, 40))}, expected NAME=VALUE.`, { file, line }, 'Put values with blanks in quotes.')
    settings.push({ name: found[1] as string, value: found[2] ?? found[3] ?? '', file, line })
  }
  return settings
}
