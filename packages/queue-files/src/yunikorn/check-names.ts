import type { Located } from './located.js'

/** Names that queues, users and groups may have, in the latest version, which allows the most. Source: YuniKorn, configvalidator.go. */
const QUEUE = /^[a-z0-9_:#/@-]{1,64}$/i
const names = { users: /^[_a-z][a-z0-9:#/_.@-]*\$?$/i, groups: /^[_a-z][a-z0-9:_.-]*$/i }

/** Whether a user or a group may have this name. */
export const isName = (kind: keyof typeof names, name: string): boolean => names[kind].test(name)

/** Whether a queue may have this name, which is no path. */
export const isQueueName = (name: string): boolean => QUEUE.test(name)

/** Throws `BAD_INPUT` with the line for a name that no queue may have. */
export function checkQueueName(found: Located, name: string): void {
  if (!isQueueName(name)) throw found.error(`no queue can be called "${name}".`, 'Names have letters, digits, - and _, at most 64 together.')
}

/** Throws `BAD_INPUT` with the line for a name that no user or group of a limit may have; `*` stands for all. */
export function checkLimitName(found: Located, kind: keyof typeof names, name: string): void {
  if (name !== '*' && !isName(kind, name)) throw found.error(`no ${kind === 'users' ? 'user' : 'group'} can be called "${name}".`, 'Names begin with a letter or _, and have no blanks.')
}

/** Throws `BAD_INPUT` with the line for an access list (submitacl, adminacl) that is not a list of users and, after a blank, one of groups. */
export function checkAcl(found: Located): void {
  if ((found.string() ?? '').trim().split(/\s+/).length > 2) throw found.error(`found ${found.text}, expected users and groups with one blank between them.`, 'Write names with commas: "ann,bob dev".')
}

/** Throws `BAD_INPUT` with the line for two partitions of one name and for one without queues. */
export function checkPartitions(partitions: readonly Located[], nameIn: (partition: Located) => string): void {
  const seen = new Set<string>()
  for (const each of partitions) {
    const name = nameIn(each)
    if (seen.has(name)) throw each.at('name').error(`partition "${name}" was declared before.`, 'Give every one once.')
    if (!each.at('queues').isThere) throw each.error(`partition "${name}" has no queues.`, 'Declare at least the root: queues: [{ name: root }].')
    seen.add(name)
  }
}
