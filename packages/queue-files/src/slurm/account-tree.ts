import { SchedError, ownValue } from '@sched/core'
import type { Database, Entity } from './database.js'

/** An account with what is set of it, and with its `users`, `usersOfPartitions` and `accounts` by name. */
type Account = Record<string, unknown>

/** What is set of accounts and users. */
interface Values {
  readonly ofAccount: (account: Entity) => Readonly<Record<string, unknown>>
  /** Undefined: the user is left out. */
  readonly ofUser: (user: Entity) => unknown
}

/**
 * The tree of a database's accounts with their users, by name: accounts in the root stand at the top, and `root` has what is set of the root itself and of
 * users in it, if anything is. A user with an association for a partition is in `usersOfPartitions` of the account, by partition. Throws `BAD_INPUT`
 * with the line for an account that lies in itself, and for an account or user in one that does not exist.
 */
export function accountTree({ accounts, users }: Database, { ofAccount, ofUser }: Values): Account {
  checkTree(accounts.filter(({ name }) => name !== 'root'))
  const made = new Map<string, Account>([['root', {}]])
  for (const each of accounts) made.set(each.name, Object.assign(made.get(each.name) ?? {}, ofAccount(each)))
  const around = ({ name, at }: Entity, parent: string): Account => {
    const found = made.get(parent)
    if (found !== undefined) return found
    throw new SchedError('BAD_INPUT', `${name} is in account "${parent}", which is not there.`, at, 'Print all accounts, or a dump of the cluster.')
  }
  for (const each of accounts) if (each.name !== 'root') inside(around(each, each.parent || 'root'), 'accounts')[each.name] = made.get(each.name)
  for (const user of users) {
    const [account, value] = [around(user, user.parent), ofUser(user)]
    if (value !== undefined) (user.partition === undefined ? inside(account, 'users') : inside(inside(account, 'usersOfPartitions'), user.partition))[user.name] = value
  }
  const { accounts: top = {}, ...root } = made.get('root') as Account
  return { ...(Object.keys(root).length > 0 && { root }), ...(top as Account) }
}

/** The object under a key, which is added if it is not there. */
const inside = (account: Account, key: string): Account => (ownValue(account, key) ?? (account[key] = {})) as Account

/** Throws `BAD_INPUT` with the line for an account that lies in itself, directly or through others. */
function checkTree(accounts: readonly Entity[]): void {
  const parents = new Map<string, Set<string>>()
  for (const { name, parent } of accounts) parents.set(name, (parents.get(name) ?? new Set<string>()).add(parent))
  for (const { name, parent, at } of accounts) {
    const around = new Set([parent]) // the loop below also visits what it adds
    for (const each of around) for (const further of parents.get(each) ?? []) around.add(further)
    if (around.has(name))
      throw new SchedError(
        'BAD_INPUT',
        `account "${name}" lies in ${parent === name ? 'itself' : `"${parent}", which lies in it`}.`,
        at,
        'Print the accounts again, or correct the Parent above it.',
      )
  }
}
