import type { AutoscalingResult, Summary } from '@sched/metrics'
import type { Figure } from './figure.js'

/** Of runs in which the size of groups of nodes follows demand. */
export const autoscalingFigures = ({ autoscaling }: Summary): Figure<Summary>[] => (autoscaling === undefined ? [] : figures)

const of = (key: string, title: string, unit: '' | '%', value: (autoscaling: AutoscalingResult) => number): Figure<Summary> => ({ key, title, unit, of: ({ autoscaling }) => (autoscaling === undefined ? NaN : value(autoscaling)) })

const figures: Figure<Summary>[] = [
  of('nodes', 'autoscaled nodes, mean', '', ({ mean }) => mean),
  of('nodes-most', 'autoscaled nodes, most', '', ({ most }) => most),
  of('node-hours', 'their node hours', '', ({ nodeSeconds }) => nodeSeconds / 3600),
  of('nodes-busy', 'of which something ran', '%', ({ busy }) => busy),
  of('nodes-added', 'times that nodes were added', '', ({ added }) => added),
  of('nodes-evicted', 'tasks evicted from removed nodes', '', ({ evicted }) => evicted.tasks),
  of('cost', 'their cost', '', ({ cost }) => cost),
]
