/** People have no routes: tests make their tokens through the face. */
import type { Route } from '#dodeca/kernel'

export const routes: readonly Route[] = []
