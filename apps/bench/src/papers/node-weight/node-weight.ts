import type { Sheet } from '../sheet.js'
import { runTimes } from './run-times.js'
import { nodeWeights } from './weights.js'

export const nodeWeightSheet: Sheet = {
  name: 'node-weight',
  title: 'Nodes in the order of their performance',
  source:
    'Feng Xingjie, He Yang (Civil Aviation University of China), "Improvement of scheduling algorithm on Hadoop based on node performance", ' +
    'Computer Applications and Software 2017(5). Its tables and formulas were lost; the formulas are reconstructed from the text.',
  experiments: [nodeWeights, runTimes],
}
