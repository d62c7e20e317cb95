import type { Command } from 'commander'
import type { Io } from '../io.js'
import { addBayesPredict } from './bayes-predict.js'
import { addBayesTrain } from './bayes-train.js'
import { addBayesValidate } from './bayes-validate.js'

export function addBayes(program: Command, io: Io): void {
  const command = program
    .command('bayes')
    .summary('train, use and check the classifier of communication')
    .description('Trains, uses and checks the classifier by which the policy `bayes-comm` moves jobs that load the network between racks.')
  for (const add of [addBayesTrain, addBayesPredict, addBayesValidate]) add(command, io)
}
