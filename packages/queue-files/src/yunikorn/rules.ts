import type { JobSpec } from '@sched/core'
import { isName } from './check-names.js'
import type { Located } from './located.js'
import type { YunikornQueue } from './yunikorn-queue.js'
import type { Placed } from '../placed.js'

/** Whom a rule holds for. */
interface Filter {
  readonly isDeny: boolean
  /** `undefined` where the filter names nobody. */
  readonly users: ((name: string) => boolean) | undefined
  readonly groups: ((name: string) => boolean) | undefined
}

/** A rule that gives jobs a queue. */
export interface Rule {
  readonly name: 'provided' | 'user' | 'tag' | 'fixed'
  /** Of `tag` the tag, of `fixed` the queue. */
  readonly value: string
  readonly create: boolean
  readonly filter: Filter
  readonly parent: Rule | undefined
  readonly found: Located
}

const names = ['provided', 'user', 'tag', 'fixed'] as const

/** Reads placement rules. Throws `BAD_INPUT` with the line for one that YuniKorn does not take. */
export function readRules(found: Located, root: YunikornQueue): Rule[] {
  const rules = found.items().map(readRule)
  for (const rule of rules) {
    const path = fixedPath(rule)
    if (path !== undefined && !rule.create && find(root, path) === undefined)
      throw rule.found.at('value').error(`rule "fixed" names queue "${rule.parent === undefined ? rule.value : path}", which is not declared.`, 'Declare it, or let the rule create it.')
  }
  return rules
}

/** The path of a rule that is the same for all jobs; `undefined`: it is not. */
function fixedPath({ name, value, parent }: Rule): string | undefined {
  if (name !== 'fixed') return undefined
  if (parent === undefined) return rooted(value)
  const around = fixedPath(parent)
  return around === undefined ? undefined : `${around}.${value}`
}

function readRule(found: Located): Rule {
  found.fields(['name', 'create', 'filter', 'parent', 'value'])
  const given = found.at('name').string()?.toLowerCase() ?? ''
  const name = names.find((each) => each === given)
  if (name === undefined) throw found.at('name').error(`there is no placement rule "${given}".`, `Known are ${names.join(', ')}.`)
  const value = (found.at('value').string() ?? '').trim().toLowerCase()
  if (value === '' && (name === 'tag' || name === 'fixed')) throw found.error(`rule "${name}" has no value.`, name === 'tag' ? 'Name the tag.' : 'Name the queue.')
  const parent = found.at('parent')
  if (parent.isThere && name === 'fixed' && value.startsWith('root'))
    throw parent.error(`stands at the queue "${value}", which is a whole path.`, 'Leave it out, or leave the root out of the path.')
  return { name, value, create: found.at('create').flag() ?? false, filter: filterOf(found.at('filter')), parent: parent.isThere ? readRule(parent) : undefined, found }
}

/** What makes a name a pattern. */
const SPECIAL = /[\^$*+?()[{}|]/
/** Flags as Go has them, in front of a pattern. */
const FLAGS = /^\(\?([ims]+)\)/

function filterOf(found: Located): Filter {
  found.fields(['type', 'users', 'groups'])
  const type = (found.at('type').string() ?? '').toLowerCase()
  if (type !== '' && type !== 'allow' && type !== 'deny') throw found.at('type').error(`there is no filter "${type}".`, 'Write allow or deny.')
  return { isDeny: type === 'deny', users: matcherOf(found, 'users'), groups: matcherOf(found, 'groups') }
}

/** One entry alone may be a pattern; of several those that are no names name nobody. */
function matcherOf(filter: Located, kind: 'users' | 'groups'): Filter['users'] {
  const list = filter.at(kind).items().map((each) => each.string() ?? '')
  const [only] = list
  if (only === undefined) return undefined
  const wrong = () => filter.at(kind).at(0).error(`"${only}" is neither a name nor a pattern.`)
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

/** What of a job decides where it goes. */
type Asking = Pick<JobSpec, 'queue' | 'user' | 'group'>

/** Where a job goes that no rule gives a queue, if there is such a queue. */
const DEFAULT = 'root.default'

/**
 * The queue of a job by the first rule that gives it one, else `root.default` where there is one; without rules the queue that it names. A rule that leads into a queue
 * that holds jobs ends the asking: the job is refused. The tag `namespace` of a job is its user, since that is the namespace of jobs read from Kubernetes; it has no other tags.
 *
 * Source: YuniKorn, package placement. Deviations: whoever it is of, a job may be submitted to any queue (submitacl, adminacl); without rules a queue inside others
 * may be named without the root.
 */
export function placeInYunikorn(job: Asking, { rules, root }: { readonly rules: readonly Rule[]; readonly root: YunikornQueue }): Placed {
  const given: Given = rules.length === 0 ? named(job, root) : byRules(rules, job, root)
  return given.queue === undefined && !given.isFinal && find(root, DEFAULT)?.isParent === false ? { queue: DEFAULT } : given
}

/** A queue, or why there is none, and whether nothing else is asked then. */
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

/** The full path that a rule gives a job; `undefined`: none. */
function byRule({ name, value, create, filter, parent }: Rule, job: Asking, root: YunikornQueue): Given | undefined {
  const own = name === 'fixed' ? value : name === 'provided' ? job.queue?.toLowerCase() : name === 'user' || value === 'namespace' ? job.user?.toLowerCase() : undefined
  if (own === undefined || own === '' || !passes(filter, job)) return undefined
  const isWhole = name !== 'user' && own.startsWith('root.')
  const around = isWhole || parent === undefined ? { queue: 'root' } : byRule(parent, job, root)
  if (around?.queue === undefined) return around
  const outer = find(root, around.queue)
  if (outer?.isParent === false) return inLeaf(outer)
  const path = isWhole ? own : `${around.queue}.${name === 'fixed' ? own : own.replaceAll('.', '_dot_')}`
  return create || find(root, path) !== undefined ? { queue: path } : undefined
}

const inLeaf = ({ path }: YunikornQueue): Given => ({ refused: `a placement rule leads into queue "${path}", which holds jobs`, isFinal: true })

function passes({ isDeny, users, groups }: Filter, { user, group }: Asking): boolean {
  if (users === undefined && groups === undefined) return !isDeny
  const isNamed = (user !== undefined && users?.(user) === true) || (group !== undefined && groups?.(group) === true)
  return isNamed !== isDeny
}

const rooted = (path: string): string => (path === 'root' || path.startsWith('root.') ? path : `root.${path}`)

/** The declared queue of a full path. */
function find(root: YunikornQueue, path: string): YunikornQueue | undefined {
  const found = nearest(root, path)
  return found.path === path ? found : undefined
}

/** The declared queue of a path, or the nearest around it. */
function nearest(root: YunikornQueue, path: string): YunikornQueue {
  let queue = root
  for (const name of path.split('.').slice(1)) {
    const inside = queue.queues.find((each) => each.name === name)
    if (inside === undefined) return queue
    queue = inside
  }
  return queue
}
