/** The picture that the demo model makes: a sun above the sea, 320 by 320. */
import type { VendorPart } from './vendor-model.ts'

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAUAAAAFAAgMAAACw/k05AAAADFBMVEW/1+byxG0/eIwsXHBv2zXsAAABKklEQVR42u3ZwW0DIRRFUbOYEtJPSmABTaZJZ5MotocdT/J3fG4BR4xAsvlcLpIkSZIkSXpWbc45e9hLivOnz5B3/IIjvMDUEo8/cIQXmFliuwUTG/1xC87wFye+ud2DPbnHmX2eM/vN7RHs1cDjERzRUxg4iSdvc1faGey1wOMMjvCebO5KHFx4e9ucBtsK7JXAYwWOSuDq1Gydm/rg0ts5iO8HtjXYgUAgEPjvQT+jAfAN/33V/0tc/1pR/2r2Atfb+I2+/hAjPrfJT5bis6/64774hDM/g41PieNz7PykPf4WEH+tyL+nxF988m9S8Vez/Lte/OVRkiRJklS8r3BAIBAIBAKBQCAQCAQCgUBgFfAaDggEAoFAIBAIBAKBQCAQCAQCgS8EfgPs0GiwqB/PHQAAAABJRU5ErkJggg=='

/** Bytes after its end are no part of a PNG, and every viewer passes over them. */
export function demoPicture(leastBytes: number): VendorPart {
  const missing = Math.max(0, Math.ceil((leastBytes * 4) / 3 / 4) * 4 - png.length)
  const data = missing === 0 ? png : png.replace(/=+$/, (end) => 'A'.repeat(end.length)) + 'A'.repeat(missing)
  return { type: 'file', mediaType: 'image/png', data: { type: 'data', data } }
}
