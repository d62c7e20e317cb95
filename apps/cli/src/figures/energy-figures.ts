import type { EnergyResult, Summary } from '@sched/metrics'
import type { Figure } from './figure.js'

/** Of runs whose nodes say what they draw, and of those whose nodes sleep. */
export const energyFigures = ({ energy, sleep }: Summary): Figure<Summary>[] => [...(energy === undefined ? [] : figures), ...(sleep === undefined ? [] : ofSleep)]

const of = (key: string, title: string, unit: 'kWh' | 'W', value: (energy: EnergyResult) => number): Figure<Summary> => ({ key, title, unit, of: ({ energy }) => (energy === undefined ? NaN : value(energy)) })

const figures: Figure<Summary>[] = [
  of('energy', 'energy', 'kWh', ({ total }) => total),
  of('energy-idle', 'energy of idle nodes', 'kWh', ({ idle }) => idle),
  of('energy-job', 'energy per job, above idle', 'kWh', ({ perJob }) => perJob),
  of('power', 'mean power', 'W', ({ meanPower }) => meanPower),
  of('power-peak', 'peak power', 'W', ({ peakPower }) => peakPower),
]

const ofSleep: Figure<Summary>[] = [
  { key: 'asleep', title: 'time asleep, of nodes that may', unit: '%', of: ({ sleep }) => sleep?.share ?? NaN },
  { key: 'wakes', title: 'times a node was woken', unit: '', of: ({ sleep }) => sleep?.wakes ?? NaN },
]
