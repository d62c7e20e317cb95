import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { hostNames } from './hosts.js'

/** States in which nodes take no jobs, or of nodes that are not there yet. */
const AWAY = /^(DOWN|DRAIN|DRAINED|DRAINING|FAIL|FAILING|FUTURE)$/i

/** The base state; flags may follow it. */
const stateOf = ({ settings }: Declared): string => settings.get('state')?.value.split(/[+*]/, 1)[0] ?? ''

/** Says of the hosts of a line whether they are there and take jobs. Throws `BAD_INPUT` for a list that is none. */
export function isUpIn(conf: SlurmConf): (host: string, declared: Declared) => boolean {
  const away = new Set(conf.downNodes.filter(({ settings }) => AWAY.test(settings.get('state')?.value ?? 'DOWN')).flatMap(({ name }) => hostNames(name)))
  return (host, declared) => !AWAY.test(stateOf(declared)) && !away.has(host) && !away.has('ALL')
}
