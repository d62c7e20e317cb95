import { SchedError } from '@sched/core'
import { linesOf, type SourceText } from '../source-text.js'
import type { Setting } from '../setting.js'

/** A QOS, an account, or a user in an account, with its settings. */
export interface Entity {
  readonly name: string
  /** The account of a user, the parent of an account (empty: the root); empty for a QOS. */
  readonly parent: string
  /** The partition to which an association of a user is limited; absent: it is for all partitions without one of their own. */
  readonly partition?: string | undefined
  readonly settings: readonly Setting[]
  /** Where it stands. */
  readonly at: { readonly file: string; readonly line: number }
}

/** Slurm's database of accounts as sacctmgr prints it: a dump of the associations, tables of QOS or of associations. */
export interface Database {
  readonly qos: readonly Entity[]
  readonly accounts: readonly Entity[]
  readonly users: readonly Entity[]
  /** Place of a table of associations that does not tell the parents of accounts, so that all are taken to lie in the root; undefined: there is none. */
  readonly flat?: Setting | undefined
  /** Place and clusters of a table of several clusters, none of which is the one asked for, so that all are read; undefined: there is none. */
  readonly mixed?: Setting | undefined
}
interface Made extends Database {
  readonly qos: Entity[]
  readonly accounts: Entity[]
  readonly users: Entity[]
  flat?: Setting
  mixed?: Setting
}

const DUMP_LINE = /^\s*(Cluster|Parent|Account|User|QOS)\s+-\s+(.*)$/i

/** Whether a text is a dump of sacctmgr, or one of its tables with a header line. */
export const isDatabase = (text: string): boolean => text.split(/\r?\n/).some((line) => DUMP_LINE.test(line)) || tableKind(firstLine(text)) !== undefined

const firstLine = (text: string): string => text.split(/\r?\n/).find((line) => line.trim() !== '') ?? ''

/** What a table with this header line lists; undefined: it is no table of sacctmgr. */
function tableKind(header: string): 'qos' | 'associations' | undefined {
  const names = header.split('|').map(keyOf)
  if (names.length < 2 || names.includes('jobid')) return undefined
  if (names.includes('account') && (names.includes('user') || names.includes('parentname'))) return 'associations'
  return names.includes('name') && names.some((name) => /^(priority|flags|grp|max|min|limit|usage|gracetime|preempt)/.test(name)) ? 'qos' : undefined
}

/** The name of a column in small letters, without blanks and underscores. sacctmgr prints the column ParentName as `Par Name`. */
function keyOf(name: string): string {
  const key = name.replace(/[\s_]/g, '').toLowerCase()
  return key === 'parname' ? 'parentname' : key
}

/**
 * Reads a dump (`sacctmgr dump`) or a table (`sacctmgr show qos --parsable2`, `show assoc`). `cluster`: of a table of several clusters only the associations
 * of this one are read, if it is among them. Throws `BAD_INPUT` with the line.
 */
export function readDatabase({ text, file }: SourceText, cluster?: string): Database {
  const lines = linesOf(text)
  return tableKind(firstLine(text)) === undefined ? readDump(lines, file) : readTable(lines, file, cluster)
}

/** The databases of several files as one. */
export const joined = (databases: readonly Database[]): Database => ({
  qos: databases.flatMap(({ qos }) => qos), accounts: databases.flatMap(({ accounts }) => accounts), users: databases.flatMap(({ users }) => users),
  flat: databases.find(({ flat }) => flat !== undefined)?.flat, mixed: databases.find(({ mixed }) => mixed !== undefined)?.mixed,
})

// ---- dump ----

function readDump(lines: readonly string[], file: string): Database {
  const made: Made = { qos: [], accounts: [], users: [] }
  let parent = 'root'
  for (const [i, text] of lines.entries()) {
    const line = i + 1
    if (text.trim() === '' || /^\s*#/.test(text)) continue
    const [, title, rest] = DUMP_LINE.exec(text) ?? []
    if (title === undefined)
      throw new SchedError(
        'BAD_INPUT',
        `found ${JSON.stringify(text.trim().slice(0, 40))}.`,
        { file, line },
        "Lines of a dump begin with Cluster, Parent, Account, User or QOS, as User - 'ann':MaxJobs=4.",
      )
    const [name = '', ...parts] = fieldsOf(rest as string)
    const settings = parts.map((part) => settingOf(part, file, line))
    const at = { file, line }
    const kind = title.toLowerCase()
    if (kind === 'parent') parent = unquoted(name)
    else if (kind === 'cluster') made.accounts.push({ name: 'root', parent: '', settings, at })
    else if (kind === 'qos') made.qos.push({ name: unquoted(name), parent: '', settings, at })
    else if (kind === 'account') made.accounts.push({ name: unquoted(name), parent, settings, at })
    else made.users.push({ name: unquoted(name), parent, partition: partitionIn(settings), settings, at })
  }
  return made
}

const partitionIn = (settings: readonly Setting[]): string | undefined => settings.find(({ name, value }) => keyOf(name) === 'partition' && value !== '')?.value

/** The parts of a line between colons; colons in quotes do not count. */
const fieldsOf = (text: string): string[] => text.match(/(?:'[^']*'|"[^"]*"|[^:'"])+/g) ?? []
const unquoted = (text: string): string => text.trim().replace(/^(['"])(.*)\1$/, '$2')

function settingOf(part: string, file: string, line: number): Setting {
  const at = part.indexOf('=')
  if (at < 1) throw new SchedError('BAD_INPUT', `found ${JSON.stringify(part.trim().slice(0, 40))}, expected NAME=VALUE.`, { file, line }, 'Put values with colons in quotes.')
  return { name: part.slice(0, at).trim(), value: unquoted(part.slice(at + 1)), file, line }
}

// ---- tables ----

function readTable(lines: readonly string[], file: string, wanted: string | undefined): Database {
  const made: Made = { qos: [], accounts: [], users: [] }
  const top = lines.findIndex((line) => line.trim() !== '')
  const names = (lines[top] as string).split('|').map((name) => name.trim())
  const isQos = tableKind(lines[top] as string) === 'qos'
  const column = (key: string) => names.findIndex((name) => keyOf(name) === key)
  const [name, user, account, parent, partition, cluster] = ['name', 'user', 'account', 'parentname', 'partition', 'cluster'].map(column) as [number, number, number, number, number, number]
  const clusters = new Set(isQos || cluster < 0 ? [] : lines.slice(top + 1).map((text) => text.split('|')[cluster]?.trim() ?? '').filter((each) => each !== ''))
  const own = [...clusters].find((each) => each.toLowerCase() === wanted?.toLowerCase())
  if (own === undefined && clusters.size > 1) made.mixed = { name: 'Cluster', value: [...clusters].join(', '), file, line: top + 1 }
  /** In a table printed as a tree: the accounts around the current line, outermost first. */
  const around: string[] = ['root']
  for (const [i, text] of lines.entries()) {
    if (i <= top || text.trim() === '') continue
    const line = i + 1
    const cells = text.split('|')
    if (cells.length < names.filter((each) => each !== '').length)
      throw new SchedError(
        'BAD_INPUT',
        `has ${cells.length} fields, the first line ${names.length}.`,
        { file, line },
        'Print the table with --parsable2.',
      )
    const cell = (at: number) => (cells[at] ?? '').trim()
    if (own !== undefined && cell(cluster) !== own) continue
    const settings = names.flatMap((each, at) => ([name, user, account, parent].includes(at) || each === '' || cell(at) === ''
      ? []
      : [{ name: each, value: cell(at), file, line }]))
    const at = { file, line }
    if (isQos) made.qos.push({ name: cell(name), parent: '', settings, at })
    else if (user >= 0 && cell(user) !== '') made.users.push({ name: cell(user), parent: cell(account), partition: partitionIn(settings), settings, at })
    else if (partition < 0 || cell(partition) === '')
      made.accounts.push({ name: cell(account), parent: cell(parent) !== '' ? cell(parent) : lyingIn(cells[account] ?? '', around), settings, at })
  }
  const isTold = parent >= 0 || lines.some((line) => /^\s/.test(line.split('|')[account] ?? ''))
  if (!isTold && made.accounts.filter((each) => each.name !== 'root').length > 1) made.flat = { name: 'Account', value: '', file, line: top + 1 }
  return made
}

/** The parent of an account in a table printed as a tree, in which each level is indented by one more blank. Updates `around`. */
function lyingIn(cell: string, around: string[]): string {
  const depth = cell.length - cell.trimStart().length
  around.length = Math.max(1, Math.min(depth, around.length))
  const parent = around.at(-1) as string
  if (depth > 0) around.push(cell.trim())
  return parent
}
