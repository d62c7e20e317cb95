import { SchedError } from '@sched/core'
import { slurmResource } from '@sched/policies'
import type { SlurmConf } from './conf.js'
import { listed, type Setting } from '../setting.js'

/** Weights by which jobs of a partition are billed. */
interface Billing {
  /** Cost of one unit of each resource of the cluster for one second. */
  readonly billing: Readonly<Record<string, number>>
  /** Names of weighted resources that the cluster does not have. */
  readonly missing: readonly string[]
}

/** Units of memory, in MiB. */
const UNITS: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 ** 2, P: 1024 ** 3 }

/**
 * Reads billing weights such as `CPU=1.0,Mem=0.25G,GRES/gpu=2.0`. A weight of memory is per MiB unless it names another unit, as G for GiB. Throws
 * `BAD_INPUT` with the line.
 */
export function billingOf({ value, name, file, line }: Setting, resources: readonly string[]): Billing {
  const billing: Record<string, number> = {}
  const missing: string[] = []
  for (const part of listed(value)) {
    const [, tres = '', number, unit = ''] = /^([^=\s]+)\s*=\s*(\d+(?:\.\d*)?|\.\d+)([KMGTP]?)B?$/i.exec(part) ?? []
    if (number === undefined || (unit !== '' && tres.toLowerCase() !== 'mem'))
      throw new SchedError(
        'BAD_INPUT',
        `found ${JSON.stringify(part)}.`,
        { file, line, field: name },
        'Write weights as CPU=1.0,Mem=0.25G,GRES/gpu=2.0.',
      )
    const resource = resources[slurmResource(tres, resources)]
    if (resource === undefined) missing.push(tres)
    else billing[resource] = (billing[resource] ?? 0) + Number(number) / (unit === '' ? 1 : (UNITS[unit.toUpperCase()] as number))
  }
  return { billing, missing }
}

/** The billing weights (TRESBillingWeights) of each partition that has some. */
export const partitionBilling = ({ partitions }: SlurmConf, resources: readonly string[]): Readonly<Record<string, object>> =>
  Object.fromEntries(partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('tresbillingweights')
    return setting === undefined || setting.value === '' ? [] : [[name.value, billingOf(setting, resources).billing]]
  }))
