/** The surfaces of the platform, in the order in which they are opened. */
export const surface_names = [
  'identity',
  'jobs',
  'uploads',
  'notifications',
  'payments',
  'commerce',
  'links',
  'social',
  'chat',
  'inference',
  'retrieval',
  'webhooks',
] as const
export type SurfaceName = (typeof surface_names)[number]
