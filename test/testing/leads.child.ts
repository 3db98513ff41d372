/** The same tests, run by `node --test`. */
import { after, test } from 'node:test'
import { testLeads } from './leads.ts'

await testLeads({ test: (name, run) => test(name, run), after })
