import type { Sheet } from '../sheet.js'
import { batchTimesOnC, commitModes, serviceTimesOnB } from './conflicts.js'
import { decisionTimeSweep } from './decision-times.js'
import { loadSweep } from './load.js'
import { mapReduce } from './map-reduce.js'
import { surfaces } from './surface.js'

export const omega: Sheet = {
  name: 'omega',
  title: 'Omega: shared-state scheduling beside monolithic and two-level',
  source: 'M. Schwarzkopf, A. Konwinski, M. Abd-El-Malek, J. Wilkes, "Omega: flexible, scalable schedulers for large compute clusters", EuroSys 2013.',
  experiments: [decisionTimeSweep, loadSweep, surfaces, serviceTimesOnB, batchTimesOnC, commitModes, mapReduce],
}
