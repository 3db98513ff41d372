/**
 * The permissions on files. Callers need no permission for their own uploads and files. For the
 * files of others they need a permission that no ordinary member has. Purposes that members may not
 * use are granted one by one.
 */
import type { Permission } from '#dodeca/kernel'

const admin = ['tenant_admin']

export const permissions: Readonly<Record<string, Permission>> = {
  'uploads.uploads.create': {
    says: 'Upload files for a purpose that is not open to every member',
    roles: admin,
    typed: true,
  },
  'uploads.uploads.read_any': {
    says: 'See uploads of other people',
    roles: ['tenant_admin', 'support_viewer', 'auditor'],
  },
  'uploads.uploads.abort_any': { says: 'Abort uploads of other people', roles: admin },
  'uploads.files.read_any': {
    says: 'See what is known about files of other people',
    roles: ['tenant_admin', 'support_viewer', 'auditor'],
  },
  'uploads.files.download_any': { says: 'Download files of other people', roles: admin },
  'uploads.files.delete_any': { says: 'Delete files of other people', roles: admin },
  'uploads.files.rescan': { says: 'Have files scanned again', roles: admin },
  'uploads.quarantine.read': {
    says: 'See what scanners found in files',
    roles: ['tenant_admin', 'auditor'],
  },
}
