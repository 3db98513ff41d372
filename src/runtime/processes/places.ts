/** The processes of a platform: their number, roles and ports, from the configuration alone. */
import { availableParallelism } from 'node:os'
import type { Config } from '../configuration.ts'
import type { Place } from './messages.ts'

/** The embedded server allows 200 connections. The rest is for backups and the command line. */
const embedded_connections_max = 180
/**
 * In addition to its pool, a process has one connection that listens, one that may hold a lock, and
 * a reserved one.
 */
const connections_beside_pool = 3

/** Returns the places of all members. A single place means a platform without a parent. */
export function placesOf(config: Config): Place[] {
  const { roles, port, worker_processes } = config
  const many = config.processes === 'auto' ? availableParallelism() : config.processes
  const both = roles.includes('api') && roles.includes('worker')
  const beside = both ? (worker_processes ?? (many > 1 ? 1 : 0)) : 0
  const of_api = Array.from({ length: many }, (_, at) => ({
    number: at + 1,
    roles: beside > 0 ? (['api'] as const) : roles,
    port,
    listens: true,
  }))
  const of_work = Array.from({ length: beside }, (_, at) => ({
    number: many + at + 1,
    roles: ['worker'] as const,
    port,
    listens: false,
  }))
  return [...of_api, ...of_work]
}

/** Returns a sentence if the embedded PostgreSQL has too few connections, else null. */
export function tooManyProcesses(config: Config): string | null {
  const { length } = placesOf(config)
  const each = config.settings['kernel.database_pool'] + connections_beside_pool
  if (config.database_url !== null || length === 1) return null
  if (length * each <= embedded_connections_max) return null
  const pool_max = Math.floor(embedded_connections_max / length) - connections_beside_pool
  const remedy =
    pool_max >= 2
      ? `Set KERNEL_DATABASE_POOL=${pool_max}, or start fewer processes.`
      : 'Start fewer processes, or name another PostgreSQL with DATABASE_URL.'
  return `${length} processes with up to ${each} database connections each are too many for the embedded PostgreSQL. ${remedy}`
}
