/** Joins class names; what is false, null or undefined leaves no trace. Later classes do not override earlier ones. */
export const cx = (...names: readonly (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ')
