/** What a job of OAR asked for. Unknown numbers are -1 or NaN. */
export interface OarRequest {
  /** Resources, mostly cores. */
  readonly resources: number
  readonly nodes: number
  readonly gpus: number
  /** Walltime, in seconds. */
  readonly limit: number
}

/**
 * Reads `wanted_resources`, such as `-l "{type = 'default'}/host=2/gpu=1,walltime=1:0:0" `. A moldable job has one `-l` for each alternative: the first
 * one with the walltime that the job has (`limit`) counts, or else the first. Numbers are sums over the groups of a request (`+`). `sizes`: how many
 * resources one of a level has (`host`: 16).
 *
 * Source: OAR 2.5, `get_job_data` of OAR::Stat.
 */
export function requestOf(wanted: string, limit: number, sizes: Readonly<Record<string, number>>): OarRequest {
  const alternatives = wanted.replace(/\{[^}]*\}/g, '').split('-l "').slice(1)
  const limits = alternatives.map(walltimeOf)
  const chosen = Math.max(limits.indexOf(limit), 0)
  const groups = (alternatives[chosen] ?? '').split('+').map((group) => [...group.matchAll(/\/(\w+)=(\w+)/g)])
  return {
    resources: resourcesOf(groups, sizes),
    nodes: amountOf(groups, /^(host|nodes|network_address)$/),
    gpus: amountOf(groups, /^(gpu|gpunum|gpudevice)$/),
    limit: limits[chosen] ?? NaN,
  }
}

/** -1 if a level has no number, or the size of one of the lowest level is not known. */
function resourcesOf(groups: readonly RegExpExecArray[][], sizes: Readonly<Record<string, number>>): number {
  const amounts = groups.map((levels) => levels.reduce((product, [, , count]) => product * Number(count), sizes[levels.at(-1)?.[1] ?? ''] ?? NaN))
  const sum = amounts.reduce((all, each) => all + each, 0)
  return sum > 0 ? sum : -1
}

/** Number of resources at a level of the hierarchy. -1 if there are none, or if that level or one above it has no number (ALL, BEST). */
function amountOf(groups: readonly RegExpExecArray[][], level: RegExp): number {
  const amounts = groups.map((levels) => {
    const at = levels.findIndex(([, name = '']) => level.test(name))
    return at < 0 ? 0 : levels.slice(0, at + 1).reduce((product, [, , count]) => product * Number(count), 1)
  })
  const sum = amounts.reduce((all, each) => all + each, 0)
  return sum > 0 ? sum : -1
}

function walltimeOf(alternative: string): number {
  const [, hours, minutes, seconds] = /,walltime=(\d+):(\d+):(\d+)/.exec(alternative) ?? []
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}
