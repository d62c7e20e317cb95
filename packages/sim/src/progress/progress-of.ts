import type { CellState, ClusterModel } from '@sched/cluster'
import type { RuntimeModel, RuntimeOptions } from '../runtime.js'
import { Contention } from './contention.js'
import type { Progress, ProgressHost } from './progress.js'
import { Shuffle } from './shuffle.js'
import { undisturbed } from './undisturbed.js'

/** The progress model that a run's options and cluster require; `undefined`: tasks take their own time. */
export function progressOf(runtime: RuntimeOptions | RuntimeModel | undefined, model: ClusterModel, cell: CellState): ((host: ProgressHost) => Progress) | undefined {
  const { contention = true, network = undefined } = runtime === undefined || 'runtime' in runtime ? {} : runtime
  const isDescribed = model.hardware.kinds.length > 0
  if (!isDescribed && network === undefined) return undefined
  return (host) => {
    const work = isDescribed ? new Contention(host, model.hardware, cell.hardwareUse, contention) : undisturbed(host)
    return network === undefined ? work : new Shuffle(host, work, model, network === true ? {} : network)
  }
}
