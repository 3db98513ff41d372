/** Runs before each test file. Its hook is the first one, so it runs after all hooks of the file. */
import { afterAll } from 'vitest'
import { endChildren } from './children.ts'

afterAll(endChildren)
