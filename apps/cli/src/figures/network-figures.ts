import type { Summary } from '@sched/metrics'
import type { Figure } from './figure.js'

/** Of runs whose cluster describes its hardware, whose jobs fetch over a network, or whose gangs are in racks; none otherwise. */
export const networkFigures = ({ hardware, shuffle, gangRacks }: Summary): Figure<Summary>[] => [
  ...(hardware?.kinds ?? []).map(({ kind }, i): Figure<Summary> => ({
    key: `real-${kind}`,
    title: `real use of ${kind}`,
    unit: '%',
    of: (summary) => summary.hardware?.kinds[i]?.mean ?? NaN,
  })),
  ...(hardware === undefined ? [] : hardwareFigures),
  ...(shuffle === undefined ? [] : shuffleFigures),
  ...(gangRacks === undefined ? [] : rackFigures),
]

const hardwareFigures: readonly Figure<Summary>[] = [
  { key: 'load', title: 'mean load of a node', unit: '', of: ({ hardware }) => hardware?.load.mean ?? NaN },
  { key: 'load-peak', title: 'highest load of a node', unit: '', of: ({ hardware }) => hardware?.load.peak ?? NaN },
]

const shuffleFigures: readonly Figure<Summary>[] = [
  { key: 'shuffle-cross', title: 'shuffled between racks', unit: '%', of: ({ shuffle }) => shuffle?.overall.crossShare ?? NaN },
  { key: 'shuffle-share', title: "shuffle's share of job time", unit: '%', of: ({ shuffle }) => shuffle?.overall.jobShare ?? NaN },
]

const rackFigures: readonly Figure<Summary>[] = [
  { key: 'gang-racks', title: 'racks of a gang', unit: '', of: ({ gangRacks }) => gangRacks?.mean ?? NaN },
  { key: 'gangs-on-one-rack', title: 'gangs on one rack', unit: '%', of: ({ gangRacks }) => gangRacks?.onOne ?? NaN },
]
