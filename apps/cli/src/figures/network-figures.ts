import type { Summary } from '@sched/metrics'
import type { Figure } from './figure.js'

/** Of runs whose cluster describes its hardware, or whose jobs fetch over a network; none otherwise. */
export const networkFigures = ({ hardware, shuffle }: Summary): Figure<Summary>[] => [
  ...(hardware?.kinds ?? []).map(({ kind }, i): Figure<Summary> => ({
    key: `real-${kind}`,
    title: `real use of ${kind}`,
    unit: '%',
    of: (summary) => summary.hardware?.kinds[i]?.mean ?? NaN,
  })),
  ...(hardware === undefined ? [] : hardwareFigures),
  ...(shuffle === undefined ? [] : shuffleFigures),
]

const hardwareFigures: readonly Figure<Summary>[] = [
  { key: 'load', title: 'mean load of a node', unit: '', of: ({ hardware }) => hardware?.load.mean ?? NaN },
  { key: 'load-peak', title: 'highest load of a node', unit: '', of: ({ hardware }) => hardware?.load.peak ?? NaN },
]

const shuffleFigures: readonly Figure<Summary>[] = [
  { key: 'shuffle-cross', title: 'shuffled between racks', unit: '%', of: ({ shuffle }) => shuffle?.overall.crossShare ?? NaN },
  { key: 'shuffle-share', title: "shuffle's share of job time", unit: '%', of: ({ shuffle }) => shuffle?.overall.jobShare ?? NaN },
]
