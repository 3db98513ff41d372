/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { setting, type KernelOf, type SettingTable } from '#dodeca/kernel'

const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB
const day = 86_400

// prettier-ignore
export const settings = {
  'uploads.avatar_bytes': setting.count(5 * MiB, 'bytes', 'Largest avatar', 1, 50 * GiB),
  'uploads.product_media_bytes': setting.count(20 * MiB, 'bytes', 'Largest product image', 1, 50 * GiB),
  'uploads.post_image_bytes': setting.count(50 * MiB, 'bytes', 'Largest image of a post', 1, 50 * GiB),
  'uploads.post_video_bytes': setting.count(2 * GiB, 'bytes', 'Largest video of a post', 1, 50 * GiB),
  'uploads.chat_attachment_bytes': setting.count(100 * MiB, 'bytes', 'Largest attachment of a chat message', 1, 50 * GiB),
  'uploads.document_bytes': setting.count(50 * MiB, 'bytes', 'Largest document for retrieval', 1, 50 * GiB),
  'uploads.generic_bytes': setting.count(5 * GiB, 'bytes', 'Largest file of any other purpose', 1, 50 * GiB),
  'uploads.tenant_quota_bytes': setting.count(50 * GiB, 'bytes', 'Bytes of all files of a tenant, those in quarantine and derivatives included', 1, 2 ** 50),
  'uploads.open_per_principal': setting.count(100, 'uploads', 'Uploads of one principal that are not completed', 1, 100_000),
  'uploads.part_bytes': setting.count(8 * MiB, 'bytes', 'Size of a part; larger where a file would have too many', 5 * MiB, GiB),
  'uploads.part_url_seconds': setting.count(900, 's', 'Life of the URL of a part', 10, 3600),
  'uploads.part_seconds': setting.count(3600, 's', 'Longest time in which one part arrives', 10, day),
  'uploads.part_idle_seconds': setting.count(30, 's', 'Longest idle time between chunks of a part', 1, 600),
  'uploads.parts_at_once': setting.count(16, 'parts', 'Parts of one upload that arrive at once', 1, 1000),
  'uploads.parts_per_process': setting.count(256, 'parts', 'Parts that one process receives at once', 1, 10_000),
  'uploads.expiry_seconds': setting.count(day, 's', 'Time without a new part after which an upload expires', 60, 30 * day),
  'uploads.max_age_seconds': setting.count(7 * day, 's', 'Longest life of an upload that is not completed', 60, 90 * day),
  'uploads.verify_in_request_bytes': setting.count(GiB, 'bytes', 'Up to this size completion verifies before it answers (S3: a quarter)', 0, 50 * GiB),
  'uploads.verifications': setting.count(2, 'uploads', 'Completions that one process verifies at once', 1, 64),
  'uploads.completion_lease_seconds': setting.count(120, 's', 'Time after which the verification of a crashed process is taken over', 1, 3600),
  'uploads.processing': setting.count(4, 'files', 'Files that one process scans and derives at once', 1, 64),
  'uploads.processing_lease_seconds': setting.count(180, 's', 'Longest time of one stage; after a crash the next process takes over then', 5, 3600),
  'uploads.inspectors': setting.count(2, 'processes', 'Child processes that open files of users', 1, 64),
  'uploads.inspect_seconds': setting.count(60, 's', 'Longest time in which one file is inspected or derived', 1, 600),
  'uploads.inspector_bytes': setting.count(512 * MiB, 'bytes', 'Memory of one child process that opens files of users', 64 * MiB, 16 * GiB),
  'uploads.image_pixels': setting.count(50_000_000, 'pixels', 'Largest image, all frames of an animation together', 1, 1_000_000_000),
  'uploads.image_side_pixels': setting.count(16_384, 'pixels', 'Longest side of an image', 1, 65_535),
  'uploads.image_frames': setting.count(256, 'frames', 'Frames of an animation', 1, 100_000),
  'uploads.archive_entries': setting.count(10_000, 'entries', 'Entries of an archive, nested ones included', 1, 1_000_000),
  'uploads.archive_depth': setting.count(3, 'levels', 'Archives inside archives', 1, 10),
  'uploads.archive_bytes': setting.count(GiB, 'bytes', 'Content of an archive, unpacked', 1, 100 * GiB),
  'uploads.archive_ratio': setting.count(100, 'times', 'Unpacked size of a content of 100 MiB or more in an archive, as a multiple of the packed one', 2, 10_000),
  'uploads.pdf_pages': setting.count(2000, 'pages', 'Pages of a PDF', 1, 100_000),
  'uploads.clamd': setting.optional('Address of clamd, as host:port or the path of its socket; without it only the built-in checks run'),
  'uploads.scan_max_bytes': setting.count(100 * MiB, 'bytes', 'Largest file that clamd is asked about (its StreamMaxLength); larger ones are refused while it is used', MiB, 2 * GiB - 1),
  'uploads.scan_seconds': setting.count(120, 's', 'Longest time of one scan', 1, 600),
  'uploads.scan_outage_seconds': setting.count(day, 's', 'How long a new file waits for a scanner that does not answer', 1, 30 * day),
  'uploads.scan_retry_seconds': setting.count(10, 's', 'First wait before a scanner that did not answer is asked again; it grows to five minutes', 0.05, 3600),
  'uploads.quarantine_days': setting.count(30, 'days', 'How long the bytes of a refused file are kept', 0, 3650),
  'uploads.deleted_days': setting.count(7, 'days', 'How long the bytes of a deleted file are kept', 0, 3650),
  'uploads.orphan_seconds': setting.count(2 * day, 's', 'Age at which stored bytes without a row are removed', 1, 90 * day),
  'uploads.sweep_seconds': setting.count(60, 's', 'How often expired uploads and old bytes are looked for', 0.05, day),
  'uploads.attempts_retention_days': setting.count(30, 'days', 'How long processing attempts are kept', 1, 3650),
  'uploads.download_url_seconds': setting.count(300, 's', 'Life of a download URL where the caller does not say', 30, 3600),
  'uploads.s3_redirects': setting.flag(true, 'Whether downloads are redirected to the object store instead of passing through the platform'),
  'uploads.public_origin': setting.address('Origin of the URLs of parts and downloads, where it is not PUBLIC_URL'),
} as const satisfies SettingTable

/** The kernel as this surface sees it. */
export type Kernel = KernelOf<typeof settings>
