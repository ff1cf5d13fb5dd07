// Package rtc is the WebRTC side of voice. Server is where the rooms are: it runs the media server (LiveKit) as a child of this
// program, makes the tokens that let a user and an agent into a room, and hands signalling on from the one public port. What the
// agent does in a room is the participant's.
package rtc
