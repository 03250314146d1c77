/** Joins class names and skips false, null and undefined. Later classes do not override earlier ones. */
export const cx = (...names: readonly (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ')
