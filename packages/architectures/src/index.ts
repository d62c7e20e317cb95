export { monolithic, monolithicArchitecture, type MonolithicOptions } from './monolithic.js'
