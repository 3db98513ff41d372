/** The engine in memory keeps the contract. */
import { openExactIndex } from '../exact-index.ts'
import { describeIndex } from './contract.ts'

const index = openExactIndex()
describeIndex(() => index)
