/**
 * Makes the derivatives of an image, in a child process. All of them are webp in sRGB without
 * metadata, rotated as the camera was held. An animation keeps its frames only in `sanitized`.
 */
import sharp, { type Sharp, type SharpOptions } from 'sharp'
import type { DerivativeKind } from '../purposes.ts'
import {
  Refused,
  type Derived,
  type DeriveTask,
  type InspectorLimits,
} from './inspector-protocol.ts'

sharp.cache(false)
sharp.concurrency(1)
// Only the accepted formats are enabled, because libvips can read dozens.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadNsgifFile',
    'VipsForeignLoadHeifFile',
  ],
})

const made: Readonly<Record<DerivativeKind, (image: Sharp) => Sharp>> = {
  thumbnail: image => fitted(image, 256).webp({ quality: 75 }),
  preview: image => fitted(image, 1280).webp({ quality: 80 }),
  sanitized: image => image.webp({ quality: 90 }),
}

function fitted(image: Sharp, side: number): Sharp {
  return image.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
}

export async function deriveImages({ path, outputs, limits }: DeriveTask): Promise<Derived[]> {
  const derived: Derived[] = []
  for (const { kind, path: to } of outputs) {
    const options = { ...optionsOf(limits), animated: kind === 'sanitized' }
    try {
      const { width, height, pageHeight } = await made[kind](
        sharp(path, options).autoOrient(),
      ).toFile(to)
      derived.push({ kind, width, height: pageHeight ?? height })
    } catch (error) {
      throw reasonOf(error)
    }
  }
  return derived
}

export type ImageFacts = {
  readonly width: number
  readonly height: number
  readonly frames: number
}

/** The size comes from the header alone. Nothing is decoded before the size is known. */
export async function imageFacts(path: string, limits: InspectorLimits): Promise<ImageFacts> {
  let found
  try {
    found = await sharp(path, { ...optionsOf(limits), limitInputPixels: false }).metadata()
  } catch (error) {
    throw reasonOf(error)
  }
  const { width, height, pages: frames = 1 } = found
  const { image_side_pixels: side, image_pixels, image_frames } = limits
  const too_large = width > side || height > side || width * height * frames > image_pixels
  if (too_large || frames > image_frames) throw new Refused('image_too_large')
  return { width, height, frames }
}

function optionsOf({ image_pixels }: InspectorLimits): SharpOptions {
  return { limitInputPixels: image_pixels, failOn: 'truncated', sequentialRead: true }
}

function reasonOf(error: unknown): Refused {
  return new Refused(/pixel limit/i.test(String(error)) ? 'image_too_large' : 'media_corrupt')
}
