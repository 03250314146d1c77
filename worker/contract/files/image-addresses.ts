import { type AttachedFile, fileAddress, hasThumbnail } from './files.ts'

/** URL for small views. Serves the original until a thumbnail is uploaded. */
export const thumbnailAddress = (file: Pick<AttachedFile, 'id' | 'mediaType' | 'sizeBytes'>): string =>
  hasThumbnail(file) ? `${fileAddress(file.id)}/thumbnail` : fileAddress(file.id)

/** Address of the image as the user chose it. If models receive the image unscaled, the address gives the same bytes as `fileAddress`. */
export const originalAddress = ({ id }: Pick<AttachedFile, 'id'>): string => `${fileAddress(id)}/original`
