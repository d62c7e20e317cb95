export type { Axis, Unit } from './axis.js'
export { barChart, type Bar, type BarChart } from './bar-chart.js'
