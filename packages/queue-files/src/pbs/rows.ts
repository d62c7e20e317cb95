import { withoutShares, type QueueTable } from '../queue-rows.js'
import type { Attribute, Attributes } from './attributes.js'
import type { PbsFile } from './pbs-file.js'

/** Attributes under the spelling of the table. */
const spelling = new Map([['priority', 'Priority']])

const written = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries([...attributes].map(([key, { value }]: [string, Attribute]) => [spelling.get(key) ?? key, value]))

/** The queues as a table. */
export const pbsTable = ({ queues }: PbsFile): QueueTable => withoutShares(queues.map(({ name, attributes }) => ({ path: name, depth: 0, isParent: false, settings: written(attributes) })))

/** Settings of the server, of its scheduler and of the sched_config, by name, as written. */
export const pbsGeneral = ({ server, sched, config }: PbsFile): Record<string, string> => ({
  ...written(server), ...written(sched), ...Object.fromEntries(config.settings.map(({ name, withStatus, holds }) => [holds.length === 2 ? name : `${name} ${holds.length === 0 ? 'none' : holds[0] === 'prime' ? 'prime' : 'non_prime'}`, withStatus])),
})
