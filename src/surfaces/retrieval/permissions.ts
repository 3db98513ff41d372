/**
 * The permissions of retrieval. Every member may create collections and ask questions. The access
 * lists of collections and documents decide who may read, write or manage them.
 */
import type { Permission } from '#dodeca/kernel'

const everyone = ['member']

export const permissions: Readonly<Record<string, Permission>> = {
  'retrieval.collections.create': { says: 'Make collections of documents', roles: everyone },
  'retrieval.collections.use': {
    says: 'Use collections whose access list names the caller',
    roles: everyone,
  },
  'retrieval.answers.create': {
    says: 'Search collections and ask questions about their documents',
    roles: everyone,
  },
  'retrieval.answers.read_any': {
    says: 'See answers of other people, as far as the cited documents may be read',
    roles: ['tenant_admin', 'auditor'],
  },
}
