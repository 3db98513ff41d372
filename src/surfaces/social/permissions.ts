/**
 * The permissions of social. Every account may take part. Moderation has its own permission, and an
 * appeal is decided by another person, who may review appeals only.
 */
import type { Permission } from '#dodeca/kernel'

const everyone = ['member']

export const permissions: Readonly<Record<string, Permission>> = {
  'social.content.read': { says: 'Read profiles, posts, comments and feeds', roles: everyone },
  'social.content.write': { says: 'Post, comment, like and report', roles: everyone },
  'social.graph.write': { says: 'Follow, block and mute', roles: everyone },
  'social.profiles.write': { says: 'Change the own profile', roles: everyone },
  'social.moderation_cases.read': {
    says: 'See reports and what was decided on them',
    roles: ['moderator', 'appeals_reviewer', 'tenant_admin'],
  },
  'social.moderation_cases.act': {
    says: 'Decide on reported posts, comments and users',
    roles: ['moderator', 'tenant_admin'],
  },
  'social.moderation_appeals.decide': {
    says: 'Decide on appeals against decisions of others',
    roles: ['appeals_reviewer', 'tenant_admin'],
  },
}
