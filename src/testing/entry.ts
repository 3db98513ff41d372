/** What an application is tested with, `dodeca/testing`. It needs no particular test runner. */
export { eventually, newKey, type Answer, type Ask } from './call.ts'
export { contract } from './contract.ts'
export type { Check } from './contract/checks.ts'
export type { Crawl, Maker, Recipe, Said, Subject } from './contract/crawl.ts'
export type { Member, People, Tenant } from './people.ts'
export { killed, openApp, type World } from './world.ts'
