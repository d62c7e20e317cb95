import type { JobSpec } from '@sched/core'
import { checkQueueName, isName, isQueueName } from './check-names.js'
import type { Located } from './located.js'
import type { YunikornQueue } from './yunikorn-queue.js'
import type { Placed } from '../placed.js'

/** The users and groups to which a rule applies. */
interface Filter {
  /** Whether the rule applies to all but those named. */
  readonly isDeny: boolean
  /** Whether the filter names a user; undefined: it names no users. */
  readonly users: ((name: string) => boolean) | undefined
  /** Whether the filter names a group; undefined: it names no groups. */
  readonly groups: ((name: string) => boolean) | undefined
}

/** A placement rule, which gives a job its queue. */
export interface Rule {
  /** The kind of rule: the queue that the job names, that of its user, that of a tag, or always the same. */
  readonly name: 'provided' | 'user' | 'tag' | 'fixed'
  /** The tag of a rule `tag`, the queue of a rule `fixed`; otherwise empty. */
  readonly value: string
  /** Whether the rule may create the queue. */
  readonly create: boolean
  readonly filter: Filter
  /** The rule that gives the parent of the queue; undefined: the parent is the root. */
  readonly parent: Rule | undefined
  /** The rule in the file. */
  readonly found: Located
}

const names = ['provided', 'user', 'tag', 'fixed'] as const

/** Reads placement rules. Throws `BAD_INPUT` with the line for one that YuniKorn does not take. */
export function readRules(found: Located, root: YunikornQueue): Rule[] {
  const rules = found.items().map(readRule)
  for (const rule of rules) checkFixed(rule, root)
  return rules
}

/**
 * Throws `BAD_INPUT` with the line for a rule that can give no job a queue, by the names at the beginning of its path that are the same for all jobs.
 *
 * Source: YuniKorn, configvalidator.go (checkQueueHierarchyForPlacement), for which only the root and queues with parent: true hold queues.
 */
function checkFixed(rule: Rule, root: YunikornQueue): void {
  const fixed = fixedPart(rule)
  if (fixed === undefined) return
  const { path, isAll, of } = fixed
  const bad = (fact: string, wayOut: string) => of.found.at('value').error(`rule "fixed" names queue "${of.parent === undefined ? of.value : path}", ${fact}.`, wayOut)
  const near = nearest(root, path)
  if (near.path !== path) {
    if (!near.isParent) throw bad(`and "${near.path}" around it holds jobs and no queues`, 'Give that one parent: true, or name another queue.')
    if (!rule.create) throw bad('which is not declared', 'Declare it, or let the rule create it.')
    return
  }
  const isSaid = near === root || near.found.at('parent').flag() === true
  if (isAll && isSaid) throw bad('which holds queues and no jobs', 'Name a queue inside it.')
  if (isAll || isSaid) return
  throw bad(near.isParent ? 'which does not say that it holds queues, and YuniKorn refuses that' : 'which holds jobs and no queues', 'Give it parent: true, or name another queue.')
}

/** The longest beginning of a rule's path that is the same for all jobs; `isAll`: it is the whole path; `of`: the rule that gives its end. Undefined: it has none. */
function fixedPart(rule: Rule): { readonly path: string; readonly isAll: boolean; readonly of: Rule } | undefined {
  const { name, value, parent } = rule
  const around = parent === undefined ? undefined : fixedPart(parent)
  if (name !== 'fixed' || (parent !== undefined && around?.isAll !== true)) return around === undefined ? undefined : { ...around, isAll: false }
  return { path: around === undefined ? rooted(value) : `${around.path}.${value}`, isAll: true, of: rule }
}

function readRule(found: Located): Rule {
  found.fields(['name', 'create', 'filter', 'parent', 'value'])
  const given = found.at('name').string()?.toLowerCase() ?? ''
  const name = names.find((each) => each === given)
  if (name === undefined) throw found.at('name').error(`there is no placement rule "${given}".`, `Known are ${names.join(', ')}.`)
  const value = (found.at('value').string() ?? '').trim().toLowerCase()
  if (value === '' && (name === 'tag' || name === 'fixed')) throw found.error(`rule "${name}" has no value.`, name === 'tag' ? 'Name the tag.' : 'Name the queue.')
  if (name === 'fixed') for (const part of value.split('.')) checkQueueName(found.at('value'), part)
  const parent = found.at('parent')
  if (parent.isThere && name === 'fixed' && value.startsWith('root'))
    throw parent.error(`stands at the queue "${value}", which is a whole path.`, 'Leave it out, or leave the root out of the path.')
  return { name, value, create: found.at('create').flag() ?? false, filter: filterOf(found.at('filter')), parent: parent.isThere ? readRule(parent) : undefined, found }
}

/** Characters that make a name a pattern. */
const SPECIAL = /[\^$*+?()[{}|]/
/** Flags in front of a pattern, as Go writes them. */
const FLAGS = /^\(\?([ims]+)\)/

function filterOf(found: Located): Filter {
  found.fields(['type', 'users', 'groups'])
  const type = (found.at('type').string() ?? '').toLowerCase()
  if (type !== '' && type !== 'allow' && type !== 'deny') throw found.at('type').error(`there is no filter "${type}".`, 'Write allow or deny.')
  return { isDeny: type === 'deny', users: matcherOf(found, 'users'), groups: matcherOf(found, 'groups') }
}

/** Reads the users or groups of a filter. A single entry may be a pattern (regular expression); of several each is a name. */
function matcherOf(filter: Located, kind: 'users' | 'groups'): Filter['users'] {
  const list = filter.at(kind).items().map((each) => each.string() ?? '')
  const [only] = list
  if (only === undefined) return undefined
  const wrong = () => filter.at(kind).at(0).error(`"${only}" is neither a name nor a pattern.`, 'Write a name, or a regular expression as Go has them.')
  if (list.length > 1 || !SPECIAL.test(only)) {
    if (list.length === 1 && !isName(kind, only)) throw wrong()
    return (name) => list.includes(name)
  }
  try {
    const [flagged = '', flags] = FLAGS.exec(only) ?? []
    const pattern = new RegExp(only.slice(flagged.length), flags)
    return (name) => pattern.test(name)
  } catch {
    throw wrong()
  }
}

/** The facts of a job that decide its queue. */
type Asking = Pick<JobSpec, 'queue' | 'user' | 'group'>

/** The queue of jobs that get none by a rule, if there is such a queue. */
const DEFAULT = 'root.default'

/**
 * The queue of a job: by the first rule that gives it one, without rules the queue that it names, and otherwise `root.default` if that exists. If a rule would
 * put a queue into one that holds jobs, or give one a name that none may have, the job is refused and no further rule is tried. The tag `namespace` of a job is
 * its user, which is the namespace of jobs read from Kubernetes; jobs have no other tags.
 *
 * Source: YuniKorn, package placement. Deviations: every user may submit to every queue (submitacl and adminacl do not count); without rules a job may name
 * a queue by its path without the root.
 */
export function placeInYunikorn(job: Asking, { rules, root }: { readonly rules: readonly Rule[]; readonly root: YunikornQueue }): Placed {
  const given: Given = rules.length === 0 ? named(job, root) : byRules(rules, job, root)
  return given.queue === undefined && !given.isFinal && find(root, DEFAULT)?.isParent === false ? { queue: DEFAULT } : given
}

/** A queue, or why there is none; `isFinal`: no further rule is tried, nor `root.default`. */
type Given = Placed & { readonly isFinal?: boolean }

function named({ queue }: Asking, root: YunikornQueue): Given {
  if (queue === undefined || queue === '') return { refused: 'it names no queue, and the file has no placement rules' }
  const path = rooted(queue.toLowerCase())
  const found = find(root, path)
  return found === undefined ? { refused: `there is no queue "${path}"` } : found.isParent ? { refused: `queue "${path}" holds queues and no jobs` } : { queue: path }
}

function byRules(rules: readonly Rule[], job: Asking, root: YunikornQueue): Given {
  for (const rule of rules) {
    const given = byRule(rule, job, root)
    if (given?.queue === undefined) {
      if (given !== undefined) return given
      continue
    }
    const near = nearest(root, given.queue)
    if (near.path === given.queue && near.isParent) continue
    return near.path === given.queue || near.isParent ? given : inLeaf(near)
  }
  return { refused: 'no placement rule gives it a queue' }
}

/** The full path of the queue that a rule gives a job; undefined: none, the next rule is tried. */
function byRule({ name, value, create, filter, parent }: Rule, job: Asking, root: YunikornQueue): Given | undefined {
  const own = name === 'fixed' ? value : name === 'provided' ? job.queue?.toLowerCase() : name === 'user' || value === 'namespace' ? job.user?.toLowerCase() : undefined
  if (own === undefined || own === '' || !passes(filter, job)) return undefined
  const isWhole = name !== 'user' && (own.startsWith('root.') || (name === 'fixed' && own === 'root'))
  const below = name === 'fixed' || isWhole ? own : own.replaceAll('.', '_dot_')
  if (!below.split('.').every(isQueueName)) return { refused: `no queue can be called "${own}"`, isFinal: true }
  const around = isWhole || parent === undefined ? { queue: 'root' } : byRule(parent, job, root)
  if (around?.queue === undefined) return around
  const outside = around.queue === 'root' && parent !== undefined ? 'root.root' : around.queue // a rule that gives the root is taken for one that names a queue there
  const outer = find(root, outside)
  if (outer?.isParent === false) return inLeaf(outer)
  const path = isWhole ? own : `${outside}.${below}`
  return create || find(root, path) !== undefined ? { queue: path } : undefined
}

/** The refusal of a job whose queue would lie in one that holds jobs. */
const inLeaf = ({ path }: YunikornQueue): Given => ({ refused: `a placement rule leads into queue "${path}", which holds jobs`, isFinal: true })

function passes({ isDeny, users, groups }: Filter, { user, group }: Asking): boolean {
  if (users === undefined && groups === undefined) return !isDeny
  const isNamed = (user !== undefined && users?.(user) === true) || (group !== undefined && groups?.(group) === true)
  return isNamed !== isDeny
}

const rooted = (path: string): string => (path === 'root' || path.startsWith('root.') ? path : `root.${path}`)

/** The declared queue of a full path; undefined if there is none. */
function find(root: YunikornQueue, path: string): YunikornQueue | undefined {
  const found = nearest(root, path)
  return found.path === path ? found : undefined
}

/** The declared queue of a full path, or else the innermost declared queue around it. */
function nearest(root: YunikornQueue, path: string): YunikornQueue {
  let queue = root
  for (const name of path.split('.').slice(1)) {
    const inside = queue.queues.find((each) => each.name === name)
    if (inside === undefined) return queue
    queue = inside
  }
  return queue
}
