/** A database in which nothing has happened yet, for tests of migrations: beside the clones, on their server. */
import { inject } from 'vitest'
import type { Clone } from '../../../../test/world.ts'
import { newId } from '../../ids.ts'
import { directClient } from '../direct.ts'

export async function emptyDatabase(): Promise<Clone> {
  // A clone's name, so that the run clears it away if the test could not.
  const name = `dodeca_clone_${process.ppid}_${newId().replaceAll('-', '')}`
  const url = new URL(inject('admin_url'))
  await onServer(`create database ${name} template template0`)
  url.pathname = `/${name}`
  return {
    url: url.toString(),
    drop: () => onServer(`drop database if exists ${name} with (force)`),
  }
}

async function onServer(statement: string): Promise<void> {
  const client = directClient(inject('admin_url'), 'test')
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
