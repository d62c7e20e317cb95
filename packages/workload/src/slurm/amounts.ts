const mib: Readonly<Record<string, number>> = { '': 1, K: 1 / 1024, M: 1, G: 1024, T: 1024 ** 2, P: 1024 ** 3, E: 1024 ** 4 }

/** `MEM_PER_CPU` of Slurm up to 16.05 (`slurm.h`): later versions print it as part of the amount, `2147487648Mn` for `4000Mc`. */
const MEM_PER_CPU = 2 ** 31

/**
 * Memory of a job in MiB, rounded up: `64G` for the job, `4Gn` for each of its nodes, `2000Mc` for each of its
 * processors. -1 where it is absent, ? or 0, `undefined` for anything else.
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

/** The value of a trackable resource in `cpu=32,mem=128G,node=1,gres/gpu=4`; `undefined` where it is absent. */
export function tres(text: string, name: string): string | undefined {
  for (const part of text.split(',')) if (part.startsWith(`${name}=`)) return part.slice(name.length + 1)
  return undefined
}

/** GPUs of any kind: the sum over kinds where only those are given. */
export function tresGpus(text: string): number {
  const all = tres(text, 'gres/gpu')
  if (all !== undefined) return whole(all)
  return text.split(',').reduce((sum, part) => sum + (part.startsWith('gres/gpu:') ? whole(part.slice(part.indexOf('=') + 1)) : 0), 0)
}

/** The type of the GPUs among trackable resources, `a100` of `gres/gpu:a100=4`; `undefined` where none or several are told. */
export function tresGpuType(text: string): string | undefined {
  const types = text.split(',').flatMap((part) => /^gres\/gpu:([^=]+)=0*[1-9]/.exec(part)?.[1] ?? [])
  return types.length === 1 ? types[0] : undefined
}

/**
 * Features that all of a job's nodes have to have, as sbatch takes them (`fast&ib`), each with the name of a label; of alternatives (`a|b`, `fast&(a|b)`) the name is `a|b`.
 * `undefined` where they are of some nodes alone (`fast*2`), the same on all nodes (`[a|b]`), or put together in another way.
 */
export function featuresOf(text: string): readonly string[] | undefined {
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

export type Licenses = Readonly<Record<string, number>>

/** Licences among trackable resources: `license/fluent=2`. `undefined` where there are none. */
export const tresLicenses = (text: string): Licenses | undefined =>
  licensesOf(text.split(',').flatMap((part) => (part.startsWith('license/') ? [part.slice('license/'.length).split('=') as [string, string | undefined]] : [])))

/** Licences as jobs ask for them: `fluent:2,matlab`. `undefined` where there are none, and where a job asked for one of several (`fluent|ansys`). */
export const askedLicenses = (text: string): Licenses | undefined =>
  text.includes('|') ? undefined : licensesOf(text.split(/[,;]/).map((part) => part.trim().split(/[:=*]/) as [string, string | undefined]))

/** Names and how many of each, 1 where it is not said, together where a name comes again. */
export function licensesOf(pairs: readonly (readonly [string, string | number | undefined])[]): Licenses | undefined {
  const known = new Map<string, number>()
  for (const [name, count = 1] of pairs) {
    const more = whole(String(count))
    if (name !== '' && more > 0) known.set(name, (known.get(name) ?? 0) + more)
  }
  return known.size === 0 ? undefined : Object.fromEntries(known)
}

/**
 * GPUs of a list of generic resources of all nodes, as Slurm up to 20.11 wrote it (ReqGRES, AllocGRES): `gpu:2`, `gpu:k80:2`, `gpu`. A list without any has 0.
 */
export function gresGpus(text: string): number {
  let sum = 0
  for (const [, count] of text.matchAll(/(?:^|,) *(?:gres[:/])?gpu(?![\w-])(?::[a-z_][^:,()]*)?(?::(\d{1,9})(?!\w))?/gi)) sum += Number(count ?? 1)
  return sum
}

/** A whole number of at least 0, also with a fraction of zeros; -1 for anything else. */
export function whole(text: string): number {
  return /^\d{1,15}(\.0*)?$/.test(text) ? Number(text) : -1
}
