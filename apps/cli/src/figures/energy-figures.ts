import type { EnergyResult, Summary } from '@sched/metrics'
import type { Figure } from './figure.js'

/** Of runs whose nodes say what they draw; none otherwise. */
export const energyFigures = ({ energy }: Summary): Figure<Summary>[] => (energy === undefined ? [] : figures)

const of = (key: string, title: string, unit: 'kWh' | 'W', value: (energy: EnergyResult) => number): Figure<Summary> => ({ key, title, unit, of: ({ energy }) => (energy === undefined ? NaN : value(energy)) })

const figures: Figure<Summary>[] = [
  of('energy', 'energy', 'kWh', ({ total }) => total),
  of('energy-idle', 'energy of idle nodes', 'kWh', ({ idle }) => idle),
  of('energy-job', 'energy per job, above idle', 'kWh', ({ perJob }) => perJob),
  of('power', 'mean power', 'W', ({ meanPower }) => meanPower),
  of('power-peak', 'peak power', 'W', ({ peakPower }) => peakPower),
]
