import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { hostNames } from './hosts.js'

/** States in which a node takes no jobs, or does not exist yet. */
const AWAY = /^(DOWN|DRAIN|DRAINED|DRAINING|FAIL|FAILING|FUTURE)$/i

/** The state of a line of nodes without the flags that may follow it. */
const stateOf = ({ settings }: Declared): string => settings.get('state')?.value.split(/[+*]/, 1)[0] ?? ''

/** Returns a function that tells whether a host of a line of nodes takes jobs. Throws `BAD_INPUT` with the line for a list of hosts that cannot be read. */
export function isUpIn(conf: SlurmConf): (host: string, declared: Declared) => boolean {
  const away = new Set(conf.downNodes.filter(({ settings }) => AWAY.test(settings.get('state')?.value ?? 'DOWN')).flatMap(({ name }) => hostNames(name)))
  return (host, declared) => !AWAY.test(stateOf(declared)) && !away.has(host) && !away.has('ALL')
}
