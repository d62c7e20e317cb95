import { ownValue, partitionPoint, SchedError } from '@sched/core'
import type { Submitter } from './accountant.js'
import type { NegotiatorSettings } from './options.js'

/** An accounting group; all amounts are slot weight. */
export interface Group {
  /** '' for the root, which has the users of no group. */
  readonly name: string
  readonly parent: Group | undefined
  readonly children: Group[]
  readonly asked: number
  readonly isStatic: boolean
  readonly acceptsSurplus: boolean
  /** Everybody who has ever been in it, without those of groups inside. */
  readonly members: Submitter[]
  /** Of the cycle: its own part of the quota, and that with all groups inside of it. */
  quota: number
  subtreeQuota: number
  /** What its members ask for beyond what is allocated, and what they are allocated. */
  requested: number
  allocated: number
  subtreeRequested: number
  /** What its members used when slots were last allocated. */
  usage: number
}

export const usedBy = ({ members }: Group): number => members.reduce((sum, { used }) => sum + used, 0)

/** What a group and all inside of it use. */
export const usedInside = (group: Group): number => group.children.reduce((sum, child) => sum + usedInside(child), usedBy(group))

/** The tree of the groups, and who is in which. */
export class GroupTree {
  /** The root first, and each group before those inside of it: level by level. */
  readonly all: readonly Group[]
  readonly #byName = new Map<string, Group>()
  readonly #groupOf = new Map<Submitter, Group>()

  constructor(settings: NegotiatorSettings) {
    const root: Group = makeGroup('', undefined, settings)
    this.#byName.set('', root)
    for (const name of [...new Set(settings.GROUP_NAMES)].sort()) this.#add(name, settings)
    for (const field of ['GROUP_QUOTA', 'GROUP_QUOTA_DYNAMIC', 'GROUP_ACCEPT_SURPLUS'] as const)
      for (const name of Object.keys(settings[field])) if (name === '' || !this.#byName.has(name)) throw unknown(field, name)
    const all = [root]
    for (const group of all) all.push(...group.children)
    this.all = all
  }

  get root(): Group {
    return this.all[0] as Group
  }

  /** Whether there are groups at all. */
  get isFlat(): boolean {
    return this.all.length === 1
  }

  /** Adds a submitter to the group that its name gives, as it does in HTCondor (GetAssignedGroup): the innermost that is known. */
  join(submitter: Submitter): void {
    let group = this.root
    let path = ''
    for (const part of submitter.name.split('.').slice(0, -1)) {
      path = path === '' ? part : `${path}.${part}`
      const inner = this.#byName.get(path)
      if (inner === undefined) break
      group = inner
    }
    this.#groupOf.set(submitter, group)
    const { members } = group
    members.splice(partitionPoint(0, members.length, (i) => (members[i] as Submitter).name < submitter.name), 0, submitter) // so that sums are the same whoever came first
  }

  /** Whether both are in the same group, or both in none. */
  areTogether(one: Submitter, other: Submitter): boolean {
    return this.#groupOf.get(one) === this.#groupOf.get(other)
  }

  #add(name: string, settings: NegotiatorSettings): void {
    const parent = this.#byName.get(name.slice(0, Math.max(0, name.lastIndexOf('.'))))
    if (parent === undefined || name === '')
      throw new SchedError('BAD_OPTION', `Accounting group "${name}" lies in no group of GROUP_NAMES.`, { field: 'negotiator.GROUP_NAMES' }, 'Name the group around it, too.')
    const group = makeGroup(name, parent, settings)
    parent.children.push(group)
    this.#byName.set(name, group)
  }
}

const unknown = (field: string, name: string) =>
  new SchedError('BAD_OPTION', `${field} names group "${name}", which is not in GROUP_NAMES.`, { field: `negotiator.${field}` }, 'Add it there, or leave it out.')

function makeGroup(name: string, parent: Group | undefined, { GROUP_QUOTA, GROUP_QUOTA_DYNAMIC, GROUP_ACCEPT_SURPLUS: surplus }: NegotiatorSettings): Group {
  const fixed = ownValue(GROUP_QUOTA, name)
  const acceptsSurplus = parent === undefined || (typeof surplus === 'boolean' ? surplus : ownValue(surplus, name) === true)
  return { name, parent, children: [], asked: fixed ?? ownValue(GROUP_QUOTA_DYNAMIC, name) ?? 0, isStatic: fixed !== undefined, acceptsSurplus, members: [], quota: 0, subtreeQuota: 0, requested: 0, allocated: 0, subtreeRequested: 0, usage: 0 }
}
