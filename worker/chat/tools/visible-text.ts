/**
 * What a person would see of a text from outside. Control and invisible characters, in which orders can hide from whoever reads along, are
 * gone; so are halves of letters, for one of which some vendors refuse a whole request. Every end of a line is a newline.
 */
export const visibleText = (text: string): string => text.replace(/\r\n?|[\f\v\u0085]/g, '\n').replace(/[^\P{C}\n\t]/gu, '')
