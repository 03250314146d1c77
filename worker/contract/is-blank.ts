/** Matches a character that is shown: neither white space nor a control, format or filler character. U+2800 is a Braille cell without dots. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

/** True for a text without a visible character. */
export const isBlank = (text: string): boolean => !visible.test(text)
