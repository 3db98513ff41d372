/** The same tests, run by `node --test`. */
// oxlint-disable-next-line vitest/no-import-node-test -- that the kit needs no other runner is what it shows
import { after, test } from 'node:test'
import { testLeads } from './leads.ts'

await testLeads({ test: (name, run) => test(name, run), after })
