/** People have no routes: tests make their tokens through the face. */
import type { Route } from '../../../src/kernel/http/route.ts'

export const routes: readonly Route[] = []
