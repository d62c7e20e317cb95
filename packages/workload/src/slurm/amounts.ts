const mib: Readonly<Record<string, number>> = { '': 1, K: 1 / 1024, M: 1, G: 1024, T: 1024 ** 2, P: 1024 ** 3, E: 1024 ** 4 }

/** Flag `MEM_PER_CPU` of Slurm up to 16.05 (`slurm.h`). Later versions print it as a part of the amount: `2147487648Mn` is `4000Mc`. */
const MEM_PER_CPU = 2 ** 31

/**
 * Memory of a job in MiB, rounded up. `64G` is for the job, `4Gn` for each of its nodes, `2000Mc` for each of its processors. -1 if it is absent, ?
 * or 0; `undefined` for anything else.
 */
export function requestedMemory(text: string, nodes: number, procs: number): number | undefined {
  if (text === '' || text === '?' || /^0[KMGTPE]?[nc]?$/.test(text)) return -1
  const parts = /^(\d+(?:\.\d+)?)([KMGTPE]?)([nc]?)\??$/.exec(text)
  if (parts === null) return undefined
  const amount = Number(parts[1]) * mib[parts[2]!]!
  const isFlagged = parts[3] === 'n' && parts[2] === 'M' && amount >= MEM_PER_CPU && amount < 2 * MEM_PER_CPU
  const times = parts[3] === 'c' || isFlagged ? procs : parts[3] === 'n' ? nodes : 1
  return times > 0 ? Math.ceil((isFlagged ? amount - MEM_PER_CPU : amount) * times) : -1
}

/** Value of a trackable resource in a list such as `cpu=32,mem=128G,node=1,gres/gpu=4`; `undefined` if it is absent. */
export function tres(text: string, name: string): string | undefined {
  for (const part of text.split(',')) if (part.startsWith(`${name}=`)) return part.slice(name.length + 1)
  return undefined
}

/** Number of GPUs of all types; if only types are listed, their sum. */
export function tresGpus(text: string): number {
  const all = tres(text, 'gres/gpu')
  if (all !== undefined) return whole(all)
  return text.split(',').reduce((sum, part) => sum + (part.startsWith('gres/gpu:') ? whole(part.slice(part.indexOf('=') + 1)) : 0), 0)
}

/** Type of the GPUs among trackable resources, for example `a100` of `gres/gpu:a100=4`; `undefined` if the list names no type, or several. */
export function tresGpuType(text: string): string | undefined {
  const types = text.split(',').flatMap((part) => /^gres\/gpu:([^=]+)=0*[1-9]/.exec(part)?.[1] ?? [])
  return types.length === 1 ? types[0] : undefined
}

/**
 * Features that all nodes of a job must have, from a list in the form that sbatch takes (`fast&ib`), as label names. Alternatives (`a|b`,
 * `fast&(a|b)`) get the name `a|b`. `undefined` if features are asked of some nodes only (`fast*2`), must be the same on all nodes (`[a|b]`), or are
 * combined in another way.
 */
function featuresOf(text: string): readonly string[] | undefined {
  const terms = text.split(/[&,]/).map((each) => each.trim()).filter((each) => each !== '')
  const features = terms.map((term) => (terms.length === 1 ? /^\(?([^()]*)\)?$/ : /^(?:\(([^()]*)\)|([^()|]*))$/)
    .exec(term)
    ?.slice(1)
    .join('')
    .split('|')
    .map((each) => each.trim())
    .join('|'))
  return features.every((each): each is string => each !== undefined && !/[*[\]()!]|^\||\|\||\|$/.test(each)) ? features : undefined
}

/** Features of nodes that a job asks for. */
export interface Features {
  /** Those that all of its nodes must have, as label names. */
  readonly all: readonly string[]
  /** Those of which all of its nodes must have the same one. */
  readonly alike?: readonly string[]
}

/** The same with features of which all nodes must have the same one, in brackets: `fast&[rack1|rack2]`. */
export function featuresIn(text: string): Features | undefined {
  const [, before = '', inside, after = ''] = /^([^[\]]*)\[([^[\]*&,()!]*)\]([^[\]]*)$/.exec(text) ?? []
  const all = featuresOf(inside === undefined ? text : `${before.replace(/[&,]\s*$/, '')}${after}`.replace(/^\s*[&,]/, ''))
  const alike = inside?.split('|').map((each) => each.trim())
  if (all === undefined || alike?.includes('') === true) return undefined
  return alike === undefined ? { all } : { all: [...all, alike.join('|')], alike }
}

/** Number of licences by name. */
export type Licenses = Readonly<Record<string, number>>

/** Licences among trackable resources: `license/fluent=2`. `undefined` if there are none. */
export const tresLicenses = (text: string): Licenses | undefined =>
  licensesOf(text.split(',').flatMap((part) => (part.startsWith('license/') ? [part.slice('license/'.length).split('=') as [string, string | undefined]] : [])))

/**
 * Licences in the form in which jobs ask for them: `fluent:2,matlab`. `undefined` if there are none, and for a choice of several (`fluent|ansys`).
 */
export const askedLicenses = (text: string): Licenses | undefined =>
  text.includes('|') ? undefined : licensesOf(text.split(/[,;]/).map((part) => part.trim().split(/[:=*]/) as [string, string | undefined]))

/** Licences from names and counts. A missing count is 1; counts of the same name are added up. */
export function licensesOf(pairs: readonly (readonly [string, string | number | undefined])[]): Licenses | undefined {
  const known = new Map<string, number>()
  for (const [name, count = 1] of pairs) {
    const more = whole(String(count))
    if (name !== '' && more > 0) known.set(name, (known.get(name) ?? 0) + more)
  }
  return known.size === 0 ? undefined : Object.fromEntries(known)
}

/**
 * Number of GPUs in a list of generic resources of all nodes, as Slurm up to 20.11 wrote it (ReqGRES, AllocGRES): `gpu:2`, `gpu:k80:2`, `gpu`. 0 if
 * the list has none.
 */
export function gresGpus(text: string): number {
  let sum = 0
  for (const [, count] of text.matchAll(/(?:^|,) *(?:gres[:/])?gpu(?![\w-])(?::[a-z_][^:,()]*)?(?::(\d{1,9})(?!\w))?/gi)) sum += Number(count ?? 1)
  return sum
}

/** A whole number of at least 0, possibly with a fraction of zeros; -1 for anything else. */
export function whole(text: string): number {
  return /^\d{1,15}(\.0*)?$/.test(text) ? Number(text) : -1
}
