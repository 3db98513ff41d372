/**
 * The program of `npm start`. It runs the command `start` with compiled code cached from the last
 * run, from the bundle if there is one of these sources. This file is plain JavaScript: if the first
 * file is TypeScript, Node loads its type stripper (20 MB, 40 ms), although all other files are in
 * the cache.
 */
import { enableCompileCache } from 'node:module'
import { bundled, compiledOf } from '../scripts/bundle.mjs'

const program = bundled('src/cli/main.ts')
enableCompileCache(compiledOf(program))
await import(program ?? './cli/main.ts')
