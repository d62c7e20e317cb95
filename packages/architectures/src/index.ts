export { monolithic, monolithicArchitecture, type MonolithicOptions } from './monolithic.js'
export { registerArchitectures } from './register.js'
