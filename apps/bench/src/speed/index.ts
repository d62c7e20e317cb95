export { speedCommand } from './command.js'
