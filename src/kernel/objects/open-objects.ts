/** Opens the engine that the settings select. */
import type { Fault } from '../faults.ts'
import type { KernelSettings } from '../settings.ts'
import { openLocalObjects } from './local.ts'
import type { Objects } from './objects.ts'
import { openS3Objects } from './s3.ts'

export function openObjects(settings: KernelSettings, data_dir: string, fault: Fault): Objects {
  if (settings['kernel.objects_engine'] !== 's3') return openLocalObjects(data_dir, fault)
  const region = settings['kernel.objects_s3_region']
  return openS3Objects({
    endpoint: settings['kernel.objects_s3_endpoint'] ?? `https://s3.${region}.amazonaws.com`,
    bucket: settings['kernel.objects_s3_bucket'],
    region,
    access_key: settings['kernel.objects_s3_access_key'] ?? '',
    secret_key: settings['kernel.objects_s3_secret_key'] ?? '',
    path_style: settings['kernel.objects_s3_path_style'],
    timeout_ms: settings['kernel.objects_s3_timeout_ms'],
  })
}
